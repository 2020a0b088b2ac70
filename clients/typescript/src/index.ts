export {
  type CallOptions,
  type Charged,
  type ChargedCallOptions,
  type ClientOptions,
  type DryRunOptions,
  EInvoiceClient,
} from './client.js';
export type { Clock } from './clock.js';
export * from './errors.js';
export { type AcceptedBatch, type Run, type RunStore, SubmitAllError } from './submit-all.js';
export type * from './types.js';
export type { ReadStatusOptions, StatusReading, WaitOptions } from './wait-for-outcome.js';
