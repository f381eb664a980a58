// `offloop/crc32` and the checksums of `offloop`, as a TypeScript user meets them.

import {
  crc32,
  crc32Async,
  crc32c,
  crc32k,
  crc64nvme,
  crc64nvmeAsync,
  crcCombine,
  type ChecksumName,
} from 'offloop';
import { crc32 as anywhere, crc32Backend, portableCrc32 } from 'offloop/crc32';

const data = new Uint8Array(8);

const small: number = crc32(data) + crc32c('text', 1) + crc32k(new ArrayBuffer(1));
const large: bigint = crc64nvme(
  new SharedArrayBuffer(1),
  crc64nvme(new DataView(new ArrayBuffer(1))),
);

const promised: Promise<number>[] = [
  crc32Async(data),
  crc32Async(data, 1),
  crc32Async(data, 1, { offload: 'always' }),
  crc32Async(data, { signal: AbortSignal.abort() }),
];
const promisedLarge: Promise<bigint> = crc64nvmeAsync('text', 1n, {});

const combined: number = crcCombine('crc32k', 1, 2, 3n);
const combinedLarge: bigint = crcCombine('crc64nvme', 1n, 2n, 3);
const name: ChecksumName = 'crc32c';

const backend: 'native' | 'zlib' | 'portable' = crc32Backend;
const sums: number = anywhere('text') + portableCrc32(data, 1);

// @ts-expect-error a number, not a bigint
crc32(data, 1n);
// @ts-expect-error a bigint, not a number
crc64nvme(data, 1);
// @ts-expect-error not bytes
crc32([1, 2, 3]);
// @ts-expect-error no such checksum
crcCombine('crc16', 1, 2, 3);
// @ts-expect-error the values of crc64nvme are bigints
crcCombine('crc64nvme', 1, 2, 3);
// @ts-expect-error the synchronous form takes no options
crc32(data, 1, {});
// @ts-expect-error no such option
crc32Async(data, { priority: 1 });

export { backend, combined, combinedLarge, large, name, promised, promisedLarge, small, sums };
