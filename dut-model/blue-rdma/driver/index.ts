/** Host software of blue-rdma, for kinds that build on it: its provider, and what their entries need. */
export { BLUE_KIND, blueProvider } from './kind/blueKind.ts';
export { BLUE_DEVICE_LIMITS } from './kind/deviceLimits.ts';
export { BLUE_LAYOUT, BlueAddressMap } from './kind/addressMap.ts';
export { DRIVER_KNOBS, driverSettings, withoutDriverKnobs } from './kind/driverKnobs.ts';
export { BLUE_PROFILE } from './kind/profile.ts';
export { BLUE_CAPABILITIES, BLUE_SETTINGS, type BlueSettings } from './blueSettings.ts';
export { BlueCq, BlueQp } from './blueObjects.ts';
export { BlueProvider } from './blueProvider.ts';
export { DRIVER_PARTS, type DriverParts } from './driverParts.ts';
