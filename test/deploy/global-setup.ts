import { findProgram, installPackages } from '../support/debian-programs.js';

/** Of Debian's package each, but systemd-analyze and openssl, which come with the system. */
const PACKAGES = { 'docker-compose': 'docker-compose', haproxy: 'haproxy', psql: 'postgresql-client' };

/** @throws Error that names what is missing and cannot be installed */
export default function setup(): void {
  const missing = (): string[] => Object.keys(PACKAGES).filter((program) => findProgram(program) === undefined);
  if (missing().length > 0) installPackages(...Object.values(PACKAGES));
  if (missing().length > 0) throw new Error(`npm run check -- deploy needs ${missing().join(', ')}: install them`);
}
