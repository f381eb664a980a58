/*
 * Checked by tsc, never run: the positional forms of the drop-in, and what is none of them.
 */

import * as cryptoAsync from 'offloop/crypto-async';

declare const b: Buffer;
const size: number = cryptoAsync.CIPHER_BLOCK_MAX;
const message: string = cryptoAsync.E_CORRUPT;
void [size, message];

const forms: [Buffer, Buffer, number, number, Buffer, number, Buffer, number] = [
  cryptoAsync.cipher('aes-256-ctr', 1, b, b, b),
  cryptoAsync.cipher('aes-256-gcm', 0, b, b, b, b, b),
  cryptoAsync.cipher('aes-256-ctr', 1, b, 0, 32, b, 0, 16, b, 0, 9, b, 0),
  cryptoAsync.cipher('aes-256-gcm', 1, b, 0, 32, b, 0, 12, b, 0, 9, b, 0, b, 0, 5, b, 0, 16),
  cryptoAsync.hash('sha256', b),
  cryptoAsync.hash('sha256', b, 0, 9, b, 0),
  cryptoAsync.hmac('sha256', b, b),
  cryptoAsync.hmac('sha256', b, 0, 32, b, 0, 9, b, 0),
];
void forms;

const takesBuffer = (error: Error | undefined, result: Buffer) => void [error, result];
const takesSize = (error: Error | undefined, result: number) => void [error, result];
cryptoAsync.cipher('aes-256-ctr', 1, b, b, b, takesBuffer);
cryptoAsync.cipher('aes-256-gcm', 1, b, b, b, b, b, takesBuffer);
cryptoAsync.cipher('aes-256-ctr', 1, b, 0, 32, b, 0, 16, b, 0, 9, b, 0, takesSize);
cryptoAsync.cipher(
  ...(['aes-256-gcm', 1, b, 0, 32, b, 0, 12, b, 0, 9, b, 0, b, 0, 5, b, 0, 16] as const),
  takesSize,
);
cryptoAsync.hash('sha256', b, takesBuffer);
cryptoAsync.hash('sha256', b, 0, 9, b, 0, takesSize);
cryptoAsync.hmac('sha256', b, b, takesBuffer);
cryptoAsync.hmac('sha256', b, 0, 32, b, 0, 9, b, 0, takesSize);

// @ts-expect-error strings are not buffers here
cryptoAsync.hash('sha256', 'text');
// @ts-expect-error neither encrypting nor decrypting
cryptoAsync.cipher('aes-256-ctr', 2, b, b, b);
// @ts-expect-error an aad without a tag
cryptoAsync.cipher('aes-256-gcm', 1, b, b, b, b);
// @ts-expect-error this form gives a size
cryptoAsync.hash('sha256', b, 0, 9, b, 0, takesBuffer);
// @ts-expect-error no such export
cryptoAsync.E_NOTHING;
