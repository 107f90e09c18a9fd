// Express 4 whose routes pass rejections to next(), as those of Express 5 do: the sites of the tests have async routes.
const express = require('express-4');
const Layer = require('express-4/lib/router/layer.js');

Layer.prototype.handle_request = function handleRequest(req, res, next) {
  const { handle } = this;
  if (handle.length > 3) return next();
  new Promise((resolve) => resolve(handle(req, res, next))).catch(next);
};

module.exports = express;
