// One trial of Go's hash/crc32 or hash/crc64: crc CHECKSUM MILLISECONDS SIZE...
// Prints nanoseconds per call for each size as a JSON array.
package main

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"hash/crc64"
	"math"
	"math/rand"
	"os"
	"strconv"
	"time"
)

// The least nanoseconds of a batch.
const leastBatch = 1e6

var sink uint64

func sumFor(checksum string) func([]byte) {
	polynomials := map[string]uint32{
		"crc32":  crc32.IEEE,
		"crc32c": crc32.Castagnoli,
		"crc32k": crc32.Koopman,
	}
	if polynomial, ok := polynomials[checksum]; ok {
		table := crc32.MakeTable(polynomial)
		return func(data []byte) { sink += uint64(crc32.Checksum(data, table)) }
	}
	if checksum == "crc64nvme" {
		table := crc64.MakeTable(0x9a6c9329ac4bc9b5)
		return func(data []byte) { sink += crc64.Checksum(data, table) }
	}
	fmt.Fprintln(os.Stderr, "unknown checksum", checksum)
	os.Exit(1)
	return nil
}

func batch(sum func([]byte), data []byte, calls int) float64 {
	start := time.Now()
	for i := 0; i < calls; i++ {
		sum(data)
	}
	return float64(time.Since(start).Nanoseconds())
}

// Nanoseconds per call in the quickest of many short batches; as in lib/crc-trial.js.
func measure(sum func([]byte), size int, milliseconds float64) float64 {
	data := make([]byte, size)
	rand.Read(data)
	calls := 1
	for quickestOf3(sum, data, calls) < leastBatch {
		calls *= 2
	}
	best := math.Inf(1)
	end := time.Now().Add(time.Duration(milliseconds * 1e6))
	for i := 0; i < 3 || time.Now().Before(end); i++ {
		best = math.Min(best, batch(sum, data, calls))
	}
	return best / float64(calls)
}

func quickestOf3(sum func([]byte), data []byte, calls int) float64 {
	best := batch(sum, data, calls)
	for i := 0; i < 2; i++ {
		best = math.Min(best, batch(sum, data, calls))
	}
	return best
}

func main() {
	sum := sumFor(os.Args[1])
	milliseconds, _ := strconv.ParseFloat(os.Args[2], 64)
	var results []float64
	for _, argument := range os.Args[3:] {
		size, err := strconv.Atoi(argument)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		results = append(results, measure(sum, size, milliseconds))
	}
	json.NewEncoder(os.Stdout).Encode(results)
}
