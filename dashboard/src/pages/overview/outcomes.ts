import type { components } from '../../api/schema';

export type Day = components['schemas']['DayDto'];

interface Outcome {
  member: keyof Day['counts'];
  label: string;
  /** Same colour as the status badge. */
  color: string;
}

/** Outcomes in the order of the stacked chart, from the bottom. */
export const OUTCOMES: readonly Outcome[] = [
  { member: 'valid', label: 'Valid', color: 'green.7' },
  { member: 'submitted', label: 'Submitted', color: 'indigo.5' },
  { member: 'processing', label: 'Processing', color: 'blue.4' },
  { member: 'queued', label: 'Queued', color: 'gray.5' },
  { member: 'cancelled', label: 'Cancelled', color: 'grape.5' },
  { member: 'invalid', label: 'Invalid', color: 'red.7' },
  { member: 'submitFailed', label: 'Submit failed', color: 'orange.6' },
];

export const CHART_HEIGHT = 260;

export const DAY_COUNTS = ['7', '30', '90'] as const;
