/**
 * The authority's system that a key submits to; everything a tenant owns but credits is scoped by it
 * (docs/rules.md#environments).
 */
export type Environment = 'sandbox' | 'production';
export const ENVIRONMENTS: readonly Environment[] = ['sandbox', 'production'];
