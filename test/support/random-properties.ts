import * as fc from 'fast-check';
import { countRuns, RANDOM_SEED } from './random.js';

// Property tests use the same values in each `npm test`, and new ones in each `npm run check -- random`.
fc.configureGlobal({ seed: RANDOM_SEED, numRuns: countRuns(100) });
