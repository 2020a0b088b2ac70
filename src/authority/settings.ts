import type { AuthoritySettings, Configuration } from '../config/configuration.js';
import type { Environment } from '../config/environment.js';

/** @throws Error for an environment that this process does not serve (docs/rules.md#environments) */
export function getAuthoritySettings(configuration: Configuration, environment: Environment): AuthoritySettings {
  const settings = configuration.authorities[environment];
  if (settings === undefined) throw new Error(`The ${environment} environment is not served by this process`);
  return settings;
}
