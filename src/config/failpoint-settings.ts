import {
  type ArmedFailpoints,
  type Failpoint,
  FAILPOINT_MODES,
  type FailpointMode,
  FAILPOINTS,
} from '../common/failpoints/failpoints.js';
import type { SettingsReader } from './settings-reader.js';

export function readFailpoints(settings: SettingsReader, isProduction: boolean): ArmedFailpoints {
  const armed = new Map<Failpoint, FailpointMode>();
  if (!settings.isSet('FAILPOINT')) return armed;
  if (isProduction) {
    settings.problem('FAILPOINT makes the process fail on purpose: it must not be set with NODE_ENV=production');
    return armed;
  }
  for (const entry of settings.text('FAILPOINT').split(',')) {
    const [name, modeName, ...rest] = entry.trim().split(':');
    const failpoint = FAILPOINTS.find((known) => known === name);
    const mode = FAILPOINT_MODES.find((known) => known === modeName);
    if (failpoint === undefined) {
      settings.problem(`FAILPOINT names "${name}", which is none of ${FAILPOINTS.join(', ')}`);
    } else if (mode === undefined || rest.length > 0) {
      settings.problem(
        `FAILPOINT must be NAME:MODE with a mode of ${FAILPOINT_MODES.join(', ')}, not "${entry.trim()}"`,
      );
    } else {
      armed.set(failpoint, mode);
    }
  }
  return armed;
}
