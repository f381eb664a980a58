'use strict';

const { useAll } = require('./operations.js');

useAll(require('offloop'), require('offloop/crypto-async'), require('offloop/crc32')).then(() =>
  console.log('used from CommonJS'),
);
