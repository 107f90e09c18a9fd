const main = require('passport-clinician');
const mock = require('passport-clinician/mock-provider');
const testing = require('passport-clinician/testing');

console.log(JSON.stringify([main, mock, testing].map((entry) => Object.keys(entry).sort())));
