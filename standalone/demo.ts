import { toMalaysianDate } from '../src/common/malaysian-days.js';
import { DemoClient } from './demo/client.js';
import { type DemoOrganisation, prepareOrganisation } from './demo/organisation.js';
import { sampleMonth } from './demo/sample-month.js';
import { outcomeTable, progressPrinter } from './demo/show.js';
import { runProgram } from './program.js';
import { dashboardUrl, SHUTDOWN_MESSAGES, startService } from './service.js';
import { usesSimulator } from './settings.js';

// Much longer than the simulator needs, so that a timeout indicates a defect.
const FOLLOW_SECONDS_MAX = 60;

/** Starts the service on one machine for `npm run demo`, submits a sample month over HTTP and keeps serving. */
await runProgram(async (closing) => {
  if (!usesSimulator()) {
    throw new Error('The demo sends invented invoices, so it needs the simulator: unset AUTHORITY_SANDBOX_API_URL');
  }
  const { apiUrl, folder, settings } = await startService(closing);
  const organisation = await prepareOrganisation(settings, folder.demoFile);
  console.log(`\nOrganisation Kedai Demo Sdn Bhd, ${organisation.credits} credits, tenant ${organisation.tenantId}`);
  console.log(`API key (sandbox)  ${organisation.apiKey}`);
  console.log(`\n${formatDashboardHint(apiUrl, organisation)}\n`);
  const batchId = await sendSampleMonth(new DemoClient(apiUrl, organisation.apiKey, closing.signal));
  console.log(`\n${formatClosing(apiUrl, organisation.apiKey, batchId)}`);
  return undefined;
}, SHUTDOWN_MESSAGES);

/** @returns the id of the first batch */
async function sendSampleMonth(client: DemoClient): Promise<string> {
  const run = new Date().toISOString().slice(2, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const { invoices, consolidated, creditNote } = sampleMonth(run, toMalaysianDate(new Date()));
  const following = { secondsMax: FOLLOW_SECONDS_MAX, show: progressPrinter() };
  console.log('Sending five invoices and the consolidated receipts of the month …');
  const first = await client.submit(`demo-${run}-1`, invoices);
  const second = await client.submit(`demo-${run}-2`, consolidated);
  const sent = await client.follow([first, second], following);
  console.log('Sending a credit note for the first invoice, which is valid now …');
  const third = await client.submit(`demo-${run}-3`, creditNote);
  const returned = await client.follow([third], { ...following, show: progressPrinter() });
  const statuses = [...sent, ...returned];
  console.log(`\n${outcomeTable(statuses)}`);
  if (statuses.some((status) => !status.terminal)) {
    throw new Error(`Some documents have no outcome after ${FOLLOW_SECONDS_MAX} s; see the log`);
  }
  const valid = statuses.flatMap((status) => status.documents).find((document) => document.validationUrl !== null);
  if (valid) console.log(`\nThe public page of ${valid.referenceId}: ${valid.validationUrl}`);
  return first;
}

function formatDashboardHint(apiUrl: string, { signIns }: DemoOrganisation): string {
  const people = [
    ['Owner', signIns.owner],
    ['Operator', signIns.operator],
  ] as const;
  return [
    `Dashboard    ${dashboardUrl(apiUrl)}`,
    ...people.map(([who, { email, password }]) => `${who.padEnd(12)} ${email.padEnd(26)} password ${password}`),
  ].join('\n');
}

function formatClosing(apiUrl: string, apiKey: string, batchId: string): string {
  const today = toMalaysianDate(new Date());
  const body =
    `{"submission_type":"consolidated","documents":[{"documentType":"invoice","referenceId":"CURL-'$(date +%s)'",` +
    `"document_date":"${today}","lineItems":[{"description":"Sales of the day","quantity":1,"unitPrice":100}]}]}`;
  return [
    'The service keeps running; Ctrl-C stops it, and the data stays. To read the first batch, and to send your own:',
    '',
    `  curl -s ${apiUrl}/v1/saas/submissions/${batchId}/status -H 'X-API-Key: ${apiKey}'`,
    '',
    `  curl -s ${apiUrl}/v1/einvoice/submit -H 'X-API-Key: ${apiKey}' -H "idempotency-key: $(date +%s)" \\`,
    `    -H 'Content-Type: application/json' -d '${body}'`,
    '',
    `Guide and reference: ${apiUrl.replace(/\/api$/, '')}/docs`,
  ].join('\n');
}
