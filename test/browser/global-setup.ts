import type { TestProject } from 'vitest/node';
import { findChromium } from './find-chromium.js';

declare module 'vitest' {
  export interface ProvidedContext {
    chromium: string;
  }
}

/** Provides the browser and installs it at most once per run. */
export default function setup(project: TestProject): void {
  project.provide('chromium', findChromium());
}
