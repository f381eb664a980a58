#include "core/cpu.h"

#include <stddef.h>

#include "core/run_once.h"

#if defined(__x86_64__) || defined(_M_X64)
#define OL_X86_64 1
#ifdef _MSC_VER
#include <intrin.h>
#else
#include <cpuid.h>
#endif
#elif defined(__aarch64__) || defined(_M_ARM64)
#if defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#elif defined(_WIN32)
#include <windows.h>
#endif
#endif

static ol_once guard = OL_ONCE_INIT;
static uint32_t features;

#ifdef OL_X86_64

enum { EAX, EBX, ECX, EDX };

static void read_cpuid(uint32_t leaf, uint32_t registers[4]) {
#ifdef _MSC_VER
  __cpuidex((int *)registers, (int)leaf, 0);
#else
  __cpuid_count(leaf, 0, registers[EAX], registers[EBX], registers[ECX], registers[EDX]);
#endif
}

/* XCR0, which names the register sets that the operating system saves. Needs OSXSAVE. */
static uint64_t read_xcr0(void) {
#ifdef _MSC_VER
  return _xgetbv(0);
#else
  uint32_t low, high;
  /* The instruction itself, because the intrinsic would demand a compiler flag. */
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return ((uint64_t)high << 32) | low;
#endif
}

typedef struct {
  int word;      /* register of the leaf */
  uint32_t mask; /* bits that must all be set */
  uint64_t xcr0; /* register sets that must all be saved */
  uint32_t feature;
} feature_bit;

#define XCR0_AVX 0x06    /* SSE and the upper halves of YMM */
#define XCR0_AVX512 0xe6 /* those, mask registers, and all of ZMM */

static const feature_bit leaf1_bits[] = {
    {ECX, 1u << 9, 0, OL_CPU_SSSE3},
    {ECX, 1u << 19, 0, OL_CPU_SSE41},
    {ECX, 1u << 1, 0, OL_CPU_PCLMULQDQ},
    {ECX, 1u << 25, 0, OL_CPU_AESNI},
};

static const feature_bit leaf7_bits[] = {
    {EBX, 1u << 5, XCR0_AVX, OL_CPU_AVX2},
    {EBX, 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31, XCR0_AVX512, OL_CPU_AVX512},
    {ECX, 1u << 9, XCR0_AVX, OL_CPU_VAES},
    {ECX, 1u << 10, XCR0_AVX, OL_CPU_VPCLMULQDQ},
};

static uint32_t read_bits(const feature_bit *bits, size_t count, const uint32_t registers[4],
                          uint64_t xcr0) {
  uint32_t found = 0;
  for (size_t i = 0; i < count; i++) {
    bool offered = (registers[bits[i].word] & bits[i].mask) == bits[i].mask;
    bool saved = (xcr0 & bits[i].xcr0) == bits[i].xcr0;
    if (offered && saved) found |= bits[i].feature;
  }
  return found;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void detect(void) {
  uint32_t registers[4];
  uint64_t xcr0 = 0;

  read_cpuid(0, registers);
  uint32_t last_leaf = registers[EAX];
  if (last_leaf < 1) return;

  read_cpuid(1, registers);
  if (registers[ECX] & 1u << 27) xcr0 = read_xcr0();
  features |= read_bits(leaf1_bits, COUNT(leaf1_bits), registers, xcr0);

  if (last_leaf < 7) return;
  read_cpuid(7, registers);
  features |= read_bits(leaf7_bits, COUNT(leaf7_bits), registers, xcr0);
}

#elif defined(__aarch64__) && defined(__linux__)

static void detect(void) {
  unsigned long offered = getauxval(AT_HWCAP);
  if (offered & HWCAP_PMULL) features |= OL_CPU_PMULL;
  if (offered & HWCAP_AES) features |= OL_CPU_AES;
}

#elif defined(__aarch64__) && defined(__APPLE__)

/* Every AArch64 processor that Apple has shipped has the cryptographic extension. */
static void detect(void) {
  features = OL_CPU_PMULL | OL_CPU_AES;
}

#elif defined(_M_ARM64) || (defined(__aarch64__) && defined(_WIN32))

static void detect(void) {
  if (IsProcessorFeaturePresent(PF_ARM_V8_CRYPTO_INSTRUCTIONS_AVAILABLE)) {
    features = OL_CPU_PMULL | OL_CPU_AES;
  }
}

#else

static void detect(void) {
}

#endif

uint32_t ol_cpu_features(void) {
  ol_once_run(&guard, detect);
  return features;
}
