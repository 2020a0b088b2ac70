import { startFileService } from '../support/file-service.js';
import { describeLateRequests } from './late-requests.js';
import { createStage } from './late-scenarios.js';

const service = await startFileService({ simulator: { tokenSeconds: 864_000 } });

describeLateRequests(await createStage(service), { isFull: true });
