import { defineConfig } from 'vite';

const { PORT = '3000' } = process.env;
const site = { target: `http://127.0.0.1:${PORT}` };

export default defineConfig({
  server: { host: '127.0.0.1', port: 5173, strictPort: true, proxy: { '/auth/': site, '/api/': site } },
});
