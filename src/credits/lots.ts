import type { Environment } from '../config/environment.js';

interface Lot {
  readonly remaining: number;
  readonly environment: Environment | null;
}

export function sumRemaining(lots: readonly Lot[]): number {
  return lots.reduce((sum, { remaining }) => sum + remaining, 0);
}

export function countSandboxOnly(lots: readonly Lot[]): number {
  return sumRemaining(lots.filter(({ environment }) => environment === 'sandbox'));
}

export function nameCredits(credits: number, environment: Environment | null): string {
  return `${credits} credits${environment === null ? '' : ` for the ${environment}`}`;
}
