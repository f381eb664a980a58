import offloop = require('./index.js');

export * from './index.js';
export default offloop;
