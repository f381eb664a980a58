/** Uses every export once. */
export function useAll(offloop: object, cryptoAsync: object, crc32: object): Promise<void>;
