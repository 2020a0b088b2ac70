import type { TestProject } from 'vitest/node';
import { findChromium } from './find-chromium.js';

declare module 'vitest' {
  export interface ProvidedContext {
    chromium: string;
  }
}

/** The browser of the run: found, or installed once before the first test. */
export default function setup(project: TestProject): void {
  project.provide('chromium', findChromium());
}
