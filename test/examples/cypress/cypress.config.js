import { tasks } from './tasks.js';

export default {
  e2e: {
    baseUrl: `http://127.0.0.1:${process.env.SITE_PORT ?? '5001'}`,
    specPattern: '*.cy.js',
    supportFile: false,
    setupNodeEvents(on) {
      on('task', tasks);
    },
  },
};
