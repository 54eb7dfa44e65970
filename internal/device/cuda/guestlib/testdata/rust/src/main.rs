//! Launches the kernels of a PTX file through cudarc: client FILE.ptx KERNEL.

use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

const N: usize = 1000;
const BLOCK: usize = 128;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let stream = CudaContext::new(0)?.default_stream();
    let module = stream.context().load_module(Ptx::from_file(&args[1]))?;
    let kernel = module.load_function(&args[2])?;
    let padded = N.div_ceil(BLOCK) * BLOCK;
    let x: Vec<f32> = (0..padded).map(|i| i as f32 * 0.25).collect();
    let from = stream.memcpy_stod(&x)?;
    let mut to = stream.memcpy_stod(&vec![1f32; padded])?;
    let config = LaunchConfig { grid_dim: ((padded / BLOCK) as u32, 1, 1), block_dim: (BLOCK as u32, 1, 1), shared_mem_bytes: 0 };
    let (n, a) = (N as u32, 3f32);
    let mut launch = stream.launch_builder(&kernel);
    if args[2] == "saxpy" {
        launch.arg(&n).arg(&a);
    }
    launch.arg(&from).arg(&mut to);
    unsafe { launch.launch(config) }?;
    let y = stream.memcpy_dtov(&to)?;
    let right = (0..padded).all(|i| match args[2].as_str() {
        "saxpy" => y[i] == if i < N { 3.0 * x[i] + 1.0 } else { 1.0 },
        _ => y[i] == x[i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK],
    });
    println!("{}", if right { "right" } else { "wrong" });
    Ok(())
}
