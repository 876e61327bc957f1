export type { MuxStream, ResetCode, StreamEnding, StreamHeader, StreamSink } from './mux-stream.ts'
