import type { Explanation } from './explanation.js';

export type Operation = 'submit' | 'status' | 'taxpayer' | 'cancel' | 'live' | 'ready';

export interface ErrorCodeEntry extends Explanation {
  readonly status: number;
  /** Absent for what every call can meet. */
  readonly operations?: readonly Operation[];
}
