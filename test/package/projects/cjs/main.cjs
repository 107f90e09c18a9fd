const main = require('passport-clinician');
const mock = require('passport-clinician/mock-provider');
const redis = require('passport-clinician/redis');
const testing = require('passport-clinician/testing');

console.log(JSON.stringify([main, mock, redis, testing].map((entry) => Object.keys(entry).sort())));
