'use strict';

/** `offloop/crc32` where there is no Node: what the `browser` condition of package.json leads to. */

const { portableCrc32 } = require('./crc32-portable');

module.exports = {
  crc32: portableCrc32,
  crc32Backend: 'portable',
  portableCrc32,
};
