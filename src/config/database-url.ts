const PORT = 5432;
// What comes before the hosts, the hosts, and what comes after them.
const SEVERAL_HOSTS = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^@/?#,]*,[^@/?#]*)((?:[/?#].*)?)$/i;

/** Where one server of a database listens. */
export interface DatabaseHost {
  readonly host: string;
  readonly port: number;
}

/**
 * Splits an address of libpq's form with several hosts (`postgres://USER:PASSWORD@A:5432,B:5432/NAME`), which neither
 * URL nor node-postgres reads.
 * @returns the address with the first host, and all hosts; none when there is only one
 */
export function splitHosts(url: string): { readonly url: string; readonly hosts: readonly DatabaseHost[] } {
  const addresses = listAddresses(url);
  return { url: addresses[0], hosts: addresses.length === 1 ? [] : addresses.map(readHost) };
}

/** Every address of a URL with several hosts, each with one of them; the URL itself when it has one. */
export function listAddresses(url: string): readonly string[] {
  const [, start, list, end] = SEVERAL_HOSTS.exec(url) ?? [];
  return list === undefined ? [url] : list.split(',').map((part) => `${start}${part}${end}`);
}

function readHost(address: string): DatabaseHost {
  const { hostname, port } = new URL(address);
  return { host: hostname.replace(/^\[(.+)\]$/, '$1'), port: Number(port || PORT) };
}
