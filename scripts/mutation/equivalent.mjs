import { inContract } from './equivalent/contract.mjs';
import { inGateway } from './equivalent/gateway.mjs';
import { inModules } from './equivalent/modules.mjs';

/** Changes that no test can notice, because the changed code does the same. Each with its reason. */
export const equivalentMutants = [...inContract, ...inGateway, ...inModules];
