import type { TestData } from '../standalone/test-data.js';

/** Starts `npm run demo` on separate data. @returns the base URL of the API */
export async function startDemo(data: TestData, environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const demo = data.startWith(environment, 'demo');
  await demo.printed('keeps running');
  const url = /^API +(\S+)$/m.exec(demo.out)?.[1];
  if (url === undefined) throw new Error(`The demo does not say its address:\n${demo.out}`);
  return url;
}

type Commands = Pick<TestData, 'start'>;

/** Creates a verified organisation with credits by operator commands. @returns its sandbox key */
export async function createOrganisation(
  data: Commands,
  { number, credits }: { number: number; credits: number },
): Promise<string> {
  const profile = {
    name: `Kedai QA ${number} Sdn Bhd`,
    tin: `C${777_000_000 + number}0`,
    'id-type': 'BRN',
    'id-value': `20190199${String(number).padStart(4, '0')}`,
    msic: '46510',
    activity: 'Wholesale of computers',
    'address-line1': 'Lot 66',
    city: 'Kuala Lumpur',
    postcode: '50480',
    state: 'kuala_lumpur',
    phone: '+60312345678',
  };
  const words = Object.entries(profile).flatMap(([name, value]) => [`--${name}`, value]);
  const { tenantId } = await runCommand<{ tenantId: string }>(data, 'tenant', 'create', ...words);
  await runCommand(data, 'credits', 'grant', '--tenant', tenantId, '--credits', String(credits));
  const sandbox = ['--environment', 'sandbox', '--name', 'qa'];
  return (await runCommand<{ apiKey: string }>(data, 'key', 'create', '--tenant', tenantId, ...sandbox)).apiKey;
}

async function runCommand<T>(data: Commands, ...words: string[]): Promise<T> {
  const command = data.start('cli', ...words, '--json');
  const { exitCode } = await command.ended;
  if (exitCode !== 0) throw new Error(`${words[0]} ${words[1]}: ${command.error}`);
  return JSON.parse(command.out) as T;
}
