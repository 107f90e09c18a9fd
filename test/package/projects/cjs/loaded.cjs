// Prints the files that an entry loads, relative to their node_modules folders.
require(process.argv[2]);
const { sep } = require('node:path');

const files = Object.keys(require.cache).filter((file) => file !== __filename);
console.log(JSON.stringify(files.map((file) => file.split(`${sep}node_modules${sep}`).pop().split(sep).join('/'))));
