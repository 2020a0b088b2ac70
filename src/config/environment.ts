/** The authority's system that a key submits to; everything a tenant owns but credits is scoped by it (D1). */
export type Environment = 'sandbox' | 'production';
export const ENVIRONMENTS: readonly Environment[] = ['sandbox', 'production'];
