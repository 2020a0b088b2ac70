import * as fc from 'fast-check';
import { countRuns, RANDOM_SEED } from './random.js';

// Properties too: the same values each time in `npm test`, others in `npm run check -- random`.
fc.configureGlobal({ seed: RANDOM_SEED, numRuns: countRuns(100) });
