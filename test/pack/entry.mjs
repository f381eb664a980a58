import * as offloop from 'offloop';
import { hash } from 'offloop';
import * as cryptoAsync from 'offloop/crypto-async';
import * as crc32 from 'offloop/crc32';
import { createRequire } from 'node:module';

import { useAll } from './operations.js';

if (hash !== createRequire(import.meta.url)('offloop').hash) throw new Error('loaded twice');
await useAll(offloop, cryptoAsync, crc32);
console.log('used from ESM');
