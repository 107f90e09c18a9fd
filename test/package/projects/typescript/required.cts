import clinician = require('passport-clinician');
import mock = require('passport-clinician/mock-provider');
import redis = require('passport-clinician/redis');
import testing = require('passport-clinician/testing');

export const isError: boolean = clinician.isClinicianError(new Error('another'));
export const start: typeof mock.startMockProvider = mock.startMockProvider;
export const store: typeof redis.RedisTokenStore = redis.RedisTokenStore;
export const signIn: typeof testing.signIn = testing.signIn;
