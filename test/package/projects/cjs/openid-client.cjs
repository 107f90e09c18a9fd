const { createRequire } = require('node:module');

console.log(createRequire(require.resolve('passport-clinician')).resolve('#openid-client'));
