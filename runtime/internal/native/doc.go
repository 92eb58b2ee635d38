// Package native drives a GPU through wgpu, by way of
// github.com/cogentcore/webgpu v0.23.0.
//
// The binding has faults that end the process or lose errors, and this package
// contains them:
//
//   - Its MapAsync and OnSubmittedWorkDone give C a pointer to a Go word that
//     nothing keeps alive; its device-lost callback does so too. Here callbacks
//     are C functions that write to C memory, which Go looks at (shim.c).
//   - Errors that no error scope catches, and a lost device, end the process
//     unless callbacks are set, which the binding cannot do: the device is
//     opened in C. Out of memory is not an error of validation, so calls are
//     enclosed in scopes of both kinds.
//   - Error scopes belong to the device, not to a goroutine: Device.mu encloses
//     every call that may fail.
//   - Submitting a command buffer that failed to encode ends the process:
//     shim_submit looks in between. Releasing something that a recorded pass uses
//     does too: everything is encoded and submitted in one C call, from a list
//     that the runtime holds.
//   - Writes, buffers and bind groups that no submit or poll follows leak:
//     Device counts them.
//   - After a device was released the submits of the next one may end the process:
//     devices are kept and opened again (cores).
//   - The binding leaves parts of the instance's description uninitialised.
//   - MaxBufferSize 2⁶⁴-1 is read as "undefined"; push-constant limits are
//     uninitialised memory.
//
// Mesa's drivers print "XDG_RUNTIME_DIR is invalid" where that variable is not
// set. So this package sets it, to a folder that does not exist, before it looks
// for devices: in the environment that C code of the process sees, which os.Getenv
// and child processes do not.
//
// What it cannot contain: wgpu 0.19 ends the process if a driver reports, from
// within a submit or a poll, that the device was lost.
package native
