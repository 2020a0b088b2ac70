import { invoice } from './documents.js';
import { accept, follow, number, once, type Status } from './suite.js';

/** Two documents whose submission to the authority is lost: one arrives, the other does not. Found out a minute or two later. */
export const lostBatches = once(async (): Promise<Record<'arrived' | 'notArrived', string>> => {
  const arrived = await send('SIM-DROP');
  return { arrived, notArrived: await send('SIM-FAIL') };
});

/** Alone in its call, because the loss concerns all documents of one. */
async function send(name: string): Promise<string> {
  const { submissionBatchId } = await accept([invoice(number(name))]);
  await follow(submissionBatchId, ({ documents }: Status) => documents[0].waiting?.code === 'in_doubt');
  return submissionBatchId;
}
