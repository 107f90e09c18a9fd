import * as main from 'passport-clinician';
import * as mock from 'passport-clinician/mock-provider';
import * as testing from 'passport-clinician/testing';

console.log(JSON.stringify([main, mock, testing].map((entry) => Object.keys(entry).sort())));
