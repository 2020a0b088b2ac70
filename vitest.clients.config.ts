import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.config.js';

/** `npm run check:clients`: clients that generators make from openapi.json, compiled and called. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [] } },
  defineConfig({ test: { include: ['test/clients/*.check.ts'], testTimeout: 180_000 } }),
);
