import { afterAll, beforeEach } from 'vitest';
import { type ServiceOptions, TestService } from './service.js';

/** Starts a service that all tests of a file share. Call it at the top level of the file. */
export async function startFileService(options: ServiceOptions = {}): Promise<TestService> {
  const service = await TestService.start(options);
  afterAll(() => service.stop());
  return service;
}

/** Starts a service as `startFileService` does, and resets it before each test. */
export async function startResetService(options: ServiceOptions = {}): Promise<TestService> {
  const service = await startFileService(options);
  beforeEach(() => service.reset());
  return service;
}
