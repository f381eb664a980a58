'use strict';

const os = require('node:os');

/** One line on what a figure was taken with. */
function describeMachine() {
  const cpus = os.cpus();
  const model = cpus[0]?.model.trim() || 'unknown CPU';
  return (
    `${os.availableParallelism()} × ${model}, ${process.platform} ${process.arch}, ` +
    `Node ${process.version}, OpenSSL ${process.versions.openssl}`
  );
}

module.exports = { describeMachine };
