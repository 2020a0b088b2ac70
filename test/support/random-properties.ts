import * as fc from 'fast-check';
import { countRuns, RANDOM_SEED } from './random.js';

fc.configureGlobal({ seed: RANDOM_SEED, numRuns: countRuns(100) });
