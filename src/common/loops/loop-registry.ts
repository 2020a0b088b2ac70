import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { assertNamesDiffer, findDecorated } from '../decorated-providers.js';
import { type Loop, type LoopSchedule, RepeatedLoop } from './loop.js';

export interface RegisteredLoop extends LoopSchedule {
  readonly loop: Loop;
}

@Injectable()
export class LoopRegistry {
  constructor(private readonly discovery: DiscoveryService) {}

  list(): RegisteredLoop[] {
    const loops = findDecorated(this.discovery, RepeatedLoop).map(({ provider, options }) => ({
      ...options,
      loop: provider,
    }));
    assertNamesDiffer(
      'loops',
      loops.map(({ name }) => name),
    );
    return loops;
  }
}
