import type { Config } from '../config/config.ts';
import { isTemporalEncrypted } from '../config/temporal-encrypted.ts';
import type { TemporalAccess } from '../operations/queue/temporal-access.ts';

/** Returns how the settings say that Temporal is reached. */
export function readTemporalAccess(config: Config): TemporalAccess {
  const serverName = config.KINORA_TEMPORAL_TLS_SERVER_NAME;
  const authorities = config.KINORA_TEMPORAL_TLS_CA_FILE;
  const certificate = config.KINORA_TEMPORAL_TLS_CERT_FILE;
  const key = config.KINORA_TEMPORAL_TLS_KEY_FILE;
  const tls = {
    ...(serverName !== null && { serverNameOverride: serverName }),
    ...(authorities !== null && { serverRootCACertificate: authorities }),
    ...(certificate !== null && key !== null && { clientCertPair: { crt: certificate, key } }),
  };
  return {
    address: config.KINORA_TEMPORAL_ADDRESS,
    namespace: config.KINORA_TEMPORAL_NAMESPACE,
    ...(isTemporalEncrypted(config) && { tls }),
    ...(config.KINORA_TEMPORAL_API_KEY !== null && { apiKey: config.KINORA_TEMPORAL_API_KEY }),
  };
}
