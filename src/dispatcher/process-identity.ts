import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';

/** Who holds a lease: new with every start, so that a process never takes its predecessor's work for its own. */
@Injectable()
export class ProcessIdentity {
  readonly id = uuidv7();
}
