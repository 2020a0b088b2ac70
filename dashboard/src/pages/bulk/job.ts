import type { components } from '../../api/schema';
import { formatDocuments } from '../../parts/needs-action/causes';

export type Job = components['schemas']['BulkJobDto'];
export type JobDetail = components['schemas']['BulkJobDetailDto'];
export type Item = components['schemas']['BulkItemDto'];

export function describeJob({ kind, fieldName, documents }: Job): string {
  return kind === 'cancel'
    ? `Cancel ${formatDocuments(documents)}`
    : `Correct ${fieldName ?? 'a field'} in ${formatDocuments(documents)}`;
}

const STATUS_WORDS: Readonly<Record<Job['status'], string>> = {
  checking: 'Checking',
  checked: 'Checked, not sent yet',
  running: 'Sending',
  paused: 'Paused',
  ended: 'Finished',
};

export function describeStatus({ status }: Pick<Job, 'status'>): string {
  return STATUS_WORDS[status];
}

/** Whether the server is processing the job. */
export function isWorking({ status }: Pick<Job, 'status'>): boolean {
  return status === 'checking' || status === 'running';
}

/** Whether a user can start, pause or continue the job. */
export function canContinue({ status, counts }: Pick<Job, 'status' | 'counts'>): boolean {
  return isWorking({ status }) || (status !== 'ended' && counts.ready + counts.waiting > 0);
}

const COUNT_WORDS: readonly (readonly [keyof Job['counts'], string])[] = [
  ['waiting', 'not checked yet'],
  ['ready', 'ready'],
  ['done', 'sent'],
  ['changed', 'skipped because they changed'],
  ['refused', 'not sent because they would be refused'],
  ['failed', 'refused'],
];

/** Returns a summary such as `40 sent, 1 refused`. */
export function describeCounts({ counts }: Pick<Job, 'counts'>): string {
  return COUNT_WORDS.filter(([name]) => counts[name] > 0)
    .map(([name, words]) => `${counts[name].toLocaleString('en')} ${words}`)
    .join(', ');
}

const STATE_WORDS: Readonly<Record<Item['state'], string>> = {
  waiting: 'Not checked yet',
  ready: 'Ready',
  refused: 'Not sent because it would be refused',
  done: 'Sent',
  changed: 'Skipped because it changed',
  failed: 'Refused',
};

export function describeState({ state }: Item): string {
  return STATE_WORDS[state];
}
