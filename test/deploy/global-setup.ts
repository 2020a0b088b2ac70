import { findProgram, installPackages } from '../support/debian-programs.js';

/** Debian packages by program. systemd-analyze and openssl are part of the system. */
const PACKAGES = { 'docker-compose': 'docker-compose', haproxy: 'haproxy', psql: 'postgresql-client' };

/** has a read-only image without sources or development tools */
export default function setup(): void {
  const missing = (): string[] => Object.keys(PACKAGES).filter((program) => findProgram(program) === undefined);
  if (missing().length > 0) installPackages(...Object.values(PACKAGES));
  if (missing().length > 0) throw new Error(`npm run check -- deploy needs ${missing().join(', ')}: install them`);
}
