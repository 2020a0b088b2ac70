import { invoice } from './documents.js';
import { accept, follow, number, once, type Status } from './suite.js';

/**
 * Two documents whose authority response is lost. One submission arrives and the other does not. The service resolves
 * both after one or two minutes.
 */
export const lostBatches = once(async (): Promise<Record<'arrived' | 'notArrived', string>> => {
  const arrived = await send('SIM-DROP');
  return { arrived, notArrived: await send('SIM-FAIL') };
});

/** Submits a document in its own authority call, because a lost response affects all documents of a call. */
async function send(name: string): Promise<string> {
  const { submissionBatchId } = await accept([invoice(number(name))]);
  await follow(submissionBatchId, ({ documents }: Status) => documents[0].waiting?.code === 'in_doubt');
  return submissionBatchId;
}
