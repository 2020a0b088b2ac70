import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.config.js';

/** `npm run check:node`: how member names are parsed, which differs between Node versions. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [] } },
  defineConfig({
    test: {
      include: [
        'test/submission/member-names.e2e.spec.ts',
        'src/common/parse-json-text.spec.ts',
        'src/common/canonical-json.spec.ts',
        'src/http/repeated-members.spec.ts',
        'simulator/parse-json.spec.ts',
      ],
    },
  }),
);
