import { afterAll } from 'vitest';
import { type ServiceOptions, TestService } from './service.js';

/**
 * The service that the tests of a file share, called at its top: it starts before the first and stops after the last.
 */
export async function startFileService(options: ServiceOptions = {}): Promise<TestService> {
  const service = await TestService.start(options);
  afterAll(() => service.stop());
  return service;
}
