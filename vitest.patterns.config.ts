import { defineConfig } from 'vitest/config';

/** `npm run check:patterns`: every regular expression of `src/` and `simulator/` takes linear time, or its input is cut. */
export default defineConfig({ test: { include: ['test/patterns/*.check.ts'] } });
