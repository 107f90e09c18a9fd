import * as main from 'passport-clinician';
import * as mock from 'passport-clinician/mock-provider';
import * as postgres from 'passport-clinician/postgres';
import * as redis from 'passport-clinician/redis';
import * as testing from 'passport-clinician/testing';

console.log(JSON.stringify([main, mock, redis, postgres, testing].map((entry) => Object.keys(entry).sort())));
