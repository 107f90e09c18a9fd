const main = require('passport-clinician');
const mock = require('passport-clinician/mock-provider');
const redis = require('passport-clinician/redis');
const postgres = require('passport-clinician/postgres');
const testing = require('passport-clinician/testing');

console.log(JSON.stringify([main, mock, redis, postgres, testing].map((entry) => Object.keys(entry).sort())));
